/** Bytes, hashes and signatures by the Web Crypto API, which Node, Deno, Bun and browsers (HTTPS or localhost) have. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** UTF-8. */
export function encodeText(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** Strict base64 (RFC 4648, section 4); null if the text is not the canonical encoding of its bytes. */
export function decodeBase64(text: string): Bytes | null {
  try {
    const binary = atob(text);
    return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}

export function encodeBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

export function concat(...parts: readonly Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

export function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

export async function sha256(...parts: readonly Uint8Array[]): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', concat(...parts)));
}

/** In hexadecimal. */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  const hash = await sha256(bytes);
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** An Ed25519 public key. */
export interface PublicKey {
  key: CryptoKey;
  /** Its SubjectPublicKeyInfo (RFC 8410); the last 32 bytes are the key itself. */
  der: Bytes;
}

/** The Ed25519 public keys in a PEM text; null for a block that is none. */
export async function publicKeysIn(pem: string): Promise<(PublicKey | null)[]> {
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[\s\S]*?-----END PUBLIC KEY-----/g) ?? [];
  return await Promise.all(
    blocks.map(async (block) => {
      const der = decodeBase64(block.replaceAll(/-----[A-Z ]+-----|\s/g, ''));
      if (der === null) return null;
      try {
        return { key: await crypto.subtle.importKey('spki', der, 'Ed25519', true, ['verify']), der };
      } catch {
        return null;
      }
    }),
  );
}

export async function isSigned(message: Bytes, signature: Bytes, { key }: PublicKey): Promise<boolean> {
  return signature.length === 64 && (await crypto.subtle.verify('Ed25519', key, signature, message));
}
