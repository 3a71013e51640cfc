import type { IncomingMessage } from 'node:http';

/** The request headers that the gateway uses. Absent headers are ''. */
export interface RequestHeaders {
  /** True if a header with a key was sent more than once. */
  ambiguousKey: boolean;
  authorization: string;
  apiKey: string;
  ifNoneMatch: string;
  acceptEncoding: string;
  /** True if the connection must not be used again: after a long or chunked body, Expect or Upgrade. */
  mustClose: boolean;
}

/** Node reads and drops a body up to this size, and keeps the connection open. */
const SHORT_BODY_BYTES = 65_536;

/** Reads the raw headers: Node's `headers` drops a second Authorization, which must be refused instead. */
export function readHeaders(request: Pick<IncomingMessage, 'rawHeaders'>): RequestHeaders {
  const { rawHeaders } = request;
  const read: RequestHeaders = {
    ambiguousKey: false,
    authorization: '',
    apiKey: '',
    ifNoneMatch: '',
    acceptEncoding: '',
    mustClose: false,
  };
  let authorizations = 0;
  let apiKeys = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const value = rawHeaders[index + 1]!;
    switch (nameOf(rawHeaders[index]!)) {
      case 'authorization':
        authorizations += 1;
        read.authorization = joined(read.authorization, value);
        break;
      case 'x-api-key':
        apiKeys += 1;
        read.apiKey = joined(read.apiKey, value);
        break;
      case 'if-none-match':
        read.ifNoneMatch = joined(read.ifNoneMatch, value);
        break;
      case 'accept-encoding':
        read.acceptEncoding = joined(read.acceptEncoding, value);
        break;
      case 'content-length':
        read.mustClose ||= Number(value) > SHORT_BODY_BYTES;
        break;
      case 'transfer-encoding':
      case 'expect': // without a 100 Continue it is unknown whether the body follows
      case 'upgrade': // Node drops what follows in the same packet
        read.mustClose = true;
        break;
      default:
    }
  }
  read.ambiguousKey = authorizations > 1 || apiKeys > 1;
  return read;
}

/** The name in lower case; '' if no header of this length is used. */
function nameOf(name: string): string {
  switch (name.length) {
    case 6:
    case 7:
    case 9:
    case 13:
    case 14:
    case 15:
    case 17:
      return name.toLowerCase();
    default:
      return '';
  }
}

function joined(before: string, value: string): string {
  return before === '' ? value : `${before}, ${value}`;
}
