/** Follows a `$ref` within the OpenAPI file; returns other values as they are. */
export function resolve(description, value) {
  if (value.$ref === undefined) return value;
  const found = value.$ref
    .slice(2)
    .split('/')
    .reduce((at, name) => at[name], description);
  return { ...found, ...value, $ref: undefined };
}

/** Every field of a schema, in the order of the response: its dotted name, type and meaning. */
export function fieldsOf(description, schema, path = '') {
  const { items, properties = {}, ...own } = resolve(description, schema);
  if (items !== undefined) return fieldsOf(description, items, `${path}[]`);
  const engines = description.components.schemas.EngineSlug.enum;
  const names = Object.keys(properties);
  // A map by engine is shown once, for any engine.
  const shown = names.length > 0 && names.every((name) => engines.includes(name)) ? names.slice(0, 1) : names;
  return shown.flatMap((name) => {
    const isMap = shown.length < names.length;
    const field = isMap ? `${path}.{slug}` : [path, name].filter(Boolean).join('.');
    const value = resolve(description, properties[name]);
    const meaning = isMap
      ? 'Scores of the engine, oldest first.'
      : (value.description ?? own.description ?? '');
    return [[field, typeOf(description, value), meaning], ...fieldsOf(description, value, field)];
  });
}

function typeOf(description, { type, enum: values, format, items }) {
  if (values !== undefined) return values.join(' | ');
  if (type === 'array') return `array of ${typeOf(description, resolve(description, items))}`;
  const name = [type].flat().join(' or ');
  return format === undefined ? name : `${name} (${format})`;
}
