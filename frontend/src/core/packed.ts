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

const BASES = (extra: readonly number[], first: number): number[] =>
  extra.reduce<number[]>((found, bits) => [...found, found.at(-1)! + 2 ** bits], [first]);
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const LENGTHS = [...BASES(LENGTH_BITS.slice(0, 28), 3).slice(0, 28), 258];
const DISTANCE_BITS = [...Array(30).keys()].map((i) => (i < 2 ? 0 : (i >> 1) - 1));
const DISTANCES = BASES(DISTANCE_BITS, 1);
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** A code of Huffman: how many signs there are of each length, and the signs in order. */
interface Code {
  readonly counts: Uint16Array;
  readonly signs: Uint16Array;
}

function codeOf(lengths: readonly number[]): Code {
  const counts = new Uint16Array(16);
  for (const length of lengths) counts[length]! += length ? 1 : 0;
  const signs = lengths.map((length, sign) => [length, sign] as const).filter(([length]) => length);
  return {
    counts,
    signs: Uint16Array.from(
      signs.sort((a, b) => a[0] - b[0] || a[1] - b[1]),
      ([, sign]) => sign,
    ),
  };
}

const FIXED = (): [Code, Code] => [
  codeOf([...Array(288).keys()].map((i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
  codeOf(Array<number>(30).fill(5)),
];

class Bits {
  private place = 0;
  private waiting = 0;
  private count = 0;

  constructor(private readonly bytes: Uint8Array) {}

  take(count: number): number {
    while (this.count < count) {
      this.waiting |= this.bytes[this.place++]! << this.count;
      this.count += 8;
    }
    const value = this.waiting & ((1 << count) - 1);
    this.waiting >>>= count;
    this.count -= count;
    return value;
  }

  sign({ counts, signs }: Code): number {
    let [code, first, index] = [0, 0, 0];
    for (let length = 1; ; length += 1) {
      code |= this.take(1);
      const count = counts[length]!;
      if (code - count < first) return signs[index + code - first]!;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
  }

  /** The rest of this byte is nothing: bytes as they are follow. */
  plain(): Uint8Array {
    this.waiting = this.count = 0;
    const size = this.bytes[this.place]! | (this.bytes[this.place + 1]! << 8);
    this.place += 4 + size;
    return this.bytes.subarray(this.place - size, this.place);
  }

  /** The two codes that a block brings with it. */
  codes(): [Code, Code] {
    const [literals, distances, used] = [this.take(5) + 257, this.take(5) + 1, this.take(4) + 4];
    const lengths = Array<number>(19).fill(0);
    for (const sign of ORDER.slice(0, used)) lengths[sign] = this.take(3);
    const code = codeOf(lengths);
    const found: number[] = [];
    while (found.length < literals + distances) {
      const sign = this.sign(code);
      if (sign < 16) found.push(sign);
      else {
        const times = sign === 16 ? 3 + this.take(2) : sign === 17 ? 3 + this.take(3) : 11 + this.take(7);
        found.push(...Array<number>(times).fill(sign === 16 ? found.at(-1)! : 0));
      }
    }
    return [codeOf(found.slice(0, literals)), codeOf(found.slice(literals))];
  }
}

/** The bytes behind a text; what is written here is unpacked as it is read, so that no browser has to know how. */
export function unpacked(text: string): Uint8Array {
  const bits = new Bits(bytesOf(text));
  let bytes = new Uint8Array(4 * text.length);
  let size = 0;
  const room = (more: number): void => {
    if (size + more <= bytes.length) return;
    const larger = new Uint8Array(2 * (size + more));
    larger.set(bytes);
    bytes = larger;
  };
  for (let last = false; !last; ) {
    last = bits.take(1) === 1;
    const kind = bits.take(2);
    if (kind === 0) {
      const plain = bits.plain();
      room(plain.length);
      bytes.set(plain, size);
      size += plain.length;
      continue;
    }
    const [literals, distances] = kind === 1 ? FIXED() : bits.codes();
    for (let sign = bits.sign(literals); sign !== 256; sign = bits.sign(literals)) {
      room(258);
      if (sign < 256) {
        bytes[size++] = sign;
        continue;
      }
      const length = LENGTHS[sign - 257]! + bits.take(LENGTH_BITS[sign - 257]!);
      const far = bits.sign(distances);
      const distance = DISTANCES[far]! + bits.take(DISTANCE_BITS[far]!);
      for (let i = 0; i < length; i += 1, size += 1) bytes[size] = bytes[size - distance]!;
    }
  }
  return bytes.subarray(0, size);
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
