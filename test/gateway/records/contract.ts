import { describe } from 'vitest';
import { describeAdmission } from './contract-admission.ts';
import { describeManagement } from './contract-management.ts';
import { eachRecords } from './each-records.ts';
import type { RecordsFixture } from './each-records.ts';

/** The contract of records that gateway and commands need, for every database. */
export function describeRecords(name: string, makeFixture: () => Promise<RecordsFixture>): void {
  describe(`records in ${name}`, () => {
    const each = eachRecords(makeFixture);
    describeAdmission(each);
    describeManagement(each);
  });
}
