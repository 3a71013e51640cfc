/** The key in a pasted text, without `Bearer` and quotes; null if that cannot be sent as a key. */
export function keyIn(pasted: string): string | null {
  const key = pasted.replace(/^(?:[\s"'“”‘’`]|Bearer\s)+/i, '').replace(/[\s"'“”‘’`]+$/, '');
  // fetch would throw an error that contains the key.
  return /^[\x21-\x7e]+$/.test(key) ? key : null;
}
