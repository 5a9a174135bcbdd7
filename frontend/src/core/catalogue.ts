// The measures that the page reads, by any of their names.
import { MEASURES } from "./registry.ts";

export type Name = keyof typeof MEASURES;

export interface Definition {
  readonly direction: "higher" | "lower";
  /** It changes with the base rate. */
  readonly prior: boolean;
  readonly range: readonly [number, number];
  /** It counts cases, or sums over them, out of a volume. */
  readonly volume: boolean;
  /** What a column of it is called. */
  readonly heading: string;
  readonly synonyms: readonly string[];
}

export const CATALOGUE: Readonly<Record<Name, Definition>> = Object.fromEntries(
  Object.entries(MEASURES).map(([name, [direction, prior, range, volume, heading, synonyms]]) => [
    name,
    { direction, prior, range, volume, heading, synonyms },
  ]),
) as Record<string, Definition> as Record<Name, Definition>;

const SYNONYMS = new Map<string, Name>(
  (Object.keys(CATALOGUE) as Name[]).flatMap((name) => [name, ...CATALOGUE[name].synonyms].map((word): [string, Name] => [word, name])),
);

/** The one name of a measure that people may write in other words; undefined where it is not read here. */
export function named(text: string): Name | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll("−", "-")
    .replace(/(?<=[\p{L}\p{N}_])[\s_-]+(?=[\p{L}\p{N}_])/gu, "_");
  return SYNONYMS.get(plain);
}
