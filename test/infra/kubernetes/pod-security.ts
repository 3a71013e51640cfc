import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { containersOf } from './manifests.ts';

const VOLUMES = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);
const SYSCTLS = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_syncookies',
]);

/** The violations of the policy «restricted» of the Pod Security Standards by a pod, control by control. */
export function violations(spec: IPodSpec): string[] {
  const pod = spec.securityContext ?? {};
  const kinds = (spec.volumes ?? []).flatMap((volume) => Object.keys(volume).filter((key) => key !== 'name'));
  const found: [boolean, string][] = [
    [spec.hostNetwork === true, 'hostNetwork'],
    [spec.hostPID === true, 'hostPID'],
    [spec.hostIPC === true, 'hostIPC'],
    [pod.windowsOptions?.hostProcess === true, 'hostProcess'],
    [kinds.some((kind) => !VOLUMES.has(kind)), 'volumes'],
    [(pod.sysctls ?? []).some(({ name }) => !SYSCTLS.has(name)), 'sysctls'],
    [pod.runAsUser === 0, 'runAsUser'],
    [pod.seLinuxOptions !== undefined, 'seLinuxOptions'],
    [pod.appArmorProfile?.type === 'Unconfined', 'appArmorProfile'],
  ];
  const ofPod = found.filter(([isFound]) => isFound).map(([, name]) => name);
  return [...ofPod, ...containersOf(spec).flatMap((container) => violationsOf(container, spec))];
}

function violationsOf(container: IContainer, { securityContext: pod }: IPodSpec): string[] {
  const own = container.securityContext ?? {};
  const seccomp = own.seccompProfile?.type ?? pod?.seccompProfile?.type;
  const { drop, add } = own.capabilities ?? {};
  const found: [boolean, string][] = [
    [own.privileged === true, 'privileged'],
    [own.windowsOptions?.hostProcess === true, 'hostProcess'],
    [own.procMount !== undefined && own.procMount !== 'Default', 'procMount'],
    [own.seLinuxOptions !== undefined, 'seLinuxOptions'],
    [own.appArmorProfile?.type === 'Unconfined', 'appArmorProfile'],
    [(container.ports ?? []).some(({ hostPort }) => (hostPort ?? 0) !== 0), 'hostPort'],
    [own.allowPrivilegeEscalation !== false, 'allowPrivilegeEscalation'],
    [(own.runAsNonRoot ?? pod?.runAsNonRoot) !== true, 'runAsNonRoot'],
    [own.runAsUser === 0, 'runAsUser'],
    [seccomp !== 'RuntimeDefault' && seccomp !== 'Localhost', 'seccompProfile'],
    [drop?.includes('ALL') !== true, 'capabilities.drop'],
    [(add ?? []).some((name) => name !== 'NET_BIND_SERVICE'), 'capabilities.add'],
  ];
  return found.filter(([isFound]) => isFound).map(([, name]) => `${container.name}: ${name}`);
}
