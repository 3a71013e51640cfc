import { describeInDebian } from './debian.ts';
import { installedMachine } from './machine.ts';
import { describeFirstMonday } from './newcomer.ts';
import { describeProcedures } from './procedures.ts';
import { describeRecovery } from './recovery.ts';

/*
 * What the pages tell an operator to type, on a bare Debian with its own systemd that is booted once. Each part begins
 * with a new installation on it, and can be run alone with -t.
 */
describeInDebian('one machine', () => {
  const machine = installedMachine(['postgresql']);
  describeFirstMonday(machine);
  describeProcedures(machine);
  describeRecovery(machine);
});
