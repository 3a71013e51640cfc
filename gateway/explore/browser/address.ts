/** What the address after # says. The key is never in it. */
export interface Address {
  /** The id of a brand; null for all. */
  brand: string | null;
  /** The Monday of a week, YYYY-MM-DD; null for the newest. */
  week: string | null;
  /** The Monday of the week to compare with; null for the one before. */
  against: string | null;
  /** `all`: every brand in full, one after the other; null for a list of them. */
  full: string | null;
}

export function readAddress(hash: string): Address {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  return {
    brand: fields.get('brand'),
    week: fields.get('week'),
    against: fields.get('against'),
    full: fields.get('full'),
  };
}

/** With # in front. It is never only that: the browser would scroll to the top. */
export function addressOf(address: Address): string {
  const fields = Object.entries(address).filter((field): field is [string, string] => field[1] !== null);
  return fields.length === 0 ? '#brands' : `#${new URLSearchParams(fields)}`;
}
