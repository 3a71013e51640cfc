import { describeInDebian } from './debian.ts';
import { installedMachine } from './machine.ts';
import { describeFirstMonday } from './newcomer.ts';
import { describeProcedures } from './procedures.ts';
import { describeRecovery } from './recovery.ts';
import { describeReleases } from './releases.ts';

/*
 * What the pages tell an operator to type, on a bare Debian with its own systemd that is booted and installed once. Each
 * part continues where the one before it has ended.
 */
describeInDebian('one machine', () => {
  const machine = installedMachine();
  describeFirstMonday(machine);
  describeReleases(machine);
  describeRecovery(machine);
  describeProcedures(machine);
});
