/**
 * The fields of a record that are read, of every format; all others are ignored. `VARCHAR`: as text, whatever its JSON type.
 * `JSON`: as JSON, which keeps the quotes of a text. A list has one item, which says what its objects have.
 */
export interface Fields {
  readonly [name: string]: 'VARCHAR' | 'JSON' | readonly [Fields];
}

/** Of all kinds together; each has some of them. */
export const trackingFields: Fields = {
  id: 'VARCHAR',
  workspace_id: 'VARCHAR',
  brand_id: 'VARCHAR',
  name: 'JSON',
  domain: 'JSON',
  text: 'JSON',
  is_active: 'JSON',
  created_at: 'VARCHAR',
  tags: 'JSON',
  engine: 'VARCHAR',
  date: 'VARCHAR',
  url: 'JSON',
};

// Enumerations, ids and times are read as text: no value of another JSON type has a text that is valid. For a name, a URL
// or a position it could be.
export const runFields: Fields = {
  id: 'VARCHAR',
  brand_id: 'VARCHAR',
  prompt_id: 'VARCHAR',
  engine: 'VARCHAR',
  cycle_date: 'VARCHAR',
  ran_at: 'VARCHAR',
  status: 'VARCHAR',
  mentions: [
    { name: 'JSON', subject: 'VARCHAR', competitor_id: 'VARCHAR', position: 'JSON', sentiment: 'VARCHAR' },
  ],
  citations: [{ url: 'JSON', source_type: 'VARCHAR' }],
  model: 'JSON',
  answer_url: 'JSON',
  answer_sha256: 'JSON',
};

/** Dates without a time. Parquet writers often store one as a timestamp at midnight. */
export const dateFields: ReadonlySet<string> = new Set(['cycle_date', 'date']);
