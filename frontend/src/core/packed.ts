// What many thresholds flag, unpacked: text in base 85, deflated (RFC 1951), whole numbers of seven bits a byte.

const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%/()*+-;,=.?@^_`{|}~";
const SIGN_OF = new Uint8Array(128);
for (let i = 0; i < SIGNS.length; i += 1) SIGN_OF[SIGNS.charCodeAt(i)] = i;

/** Five signs stand for four bytes; the last ones for fewer. */
function bytesOf(text: string): Uint8Array {
  const size = Math.floor((text.length * 4) / 5);
  const bytes = new Uint8Array(Math.ceil(text.length / 5) * 4);
  const view = new DataView(bytes.buffer);
  for (let place = 0, at = 0; place < text.length; place += 5, at += 4) {
    let value = 0;
    for (let i = 0; i < 5; i += 1) value = value * 85 + (place + i < text.length ? SIGN_OF[text.charCodeAt(place + i)]! : 84);
    view.setUint32(at, value);
  }
  return bytes.subarray(0, size);
}

/** The bytes behind a text. */
export async function unpack(text: string): Promise<Uint8Array> {
  const bytes = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(bytes).arrayBuffer());
}

/** Whole numbers, one after the other: seven bits a byte, the lowest first; the eighth says that more follow. */
export class Numbers {
  place = 0;

  constructor(readonly bytes: Uint8Array) {}

  next(): number {
    let [value, size] = [0, 1];
    for (;;) {
      const byte = this.bytes[this.place++]!;
      value += (byte & 127) * size;
      if (byte < 128) return value;
      size *= 128;
    }
  }

  /** One whose last bit is its sign. */
  signed(): number {
    const value = this.next();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}
