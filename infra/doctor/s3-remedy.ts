import type { Failure } from '../../lib/failure.ts';
import { isPassing, statusOf } from '../../lib/store/s3/failure.ts';

/**
 * What to do about a lake or store that cannot be reached: an outage is not a wrong setting.
 * @param setting names the location; the failure's cause is the error of the AWS SDK
 */
export function s3Remedy(setting: 'STORE_URL' | 'LAKE_URL', { cause }: Failure): string {
  if (cause === undefined || !isPassing(cause))
    return `correct ${setting}, S3_ENDPOINT or the AWS_ settings; "aws s3 ls" with the same ones should work`;
  return statusOf(cause) === undefined
    ? 'look whether the S3 server runs and the network reaches it; if so, correct S3_ENDPOINT'
    : 'the settings are not the cause: look at the S3 server, and run the doctor again when it has recovered';
}
