// The document that stands in the page: what `--json` gives, and the part that only the report has.

export type Threshold = number | string;

/** What is known of all thresholds of a model, whichever way they stand in the document. */
interface Model {
  readonly name: string;
  readonly positives: number | string;
  readonly negatives: number | string;
  readonly sample_prior: number | null;
  readonly weighted: boolean;
  readonly integer?: boolean;
  readonly hull: readonly number[];
  /** Every distinct score has its threshold. */
  readonly every: boolean;
  readonly distinct: number;
  /** How far two neighbours are apart, where not every threshold is in the document. */
  readonly gap: { readonly tpr: number; readonly fpr: number } | null;
  /** What the bounds of rates are computed from; null where there are none. */
  readonly bounds: { readonly level: number; readonly z: number } | null;
}

/** Cases that were scored and have no label: how many each point flags, and how many there are. */
interface Unlabelled<Flagged> {
  readonly flagged: Flagged;
  readonly cases: number | string;
}

interface Listed extends Model {
  readonly thresholds: readonly Threshold[];
  /** The same in as few digits as flag the same cases. */
  readonly shown: readonly string[];
  readonly tp: readonly (number | string)[];
  readonly fp: readonly (number | string)[];
  readonly fn?: readonly (number | string)[];
  readonly tn?: readonly (number | string)[];
  readonly unlabelled?: Unlabelled<readonly (number | string)[]>;
}

/** Many thresholds in few bytes: docs/reference/schema.json says how. */
export interface Packed extends Model {
  readonly steps: string;
  readonly scores: string;
  readonly texts: Readonly<Record<number, string>>;
  readonly exact: Readonly<Record<number, Threshold>>;
  readonly unlabelled?: Unlabelled<string>;
}

export type Points = Listed | Packed;

/** The same as the page reads it: the first point flags nothing. */
export interface Held extends Model {
  readonly tp: ArrayLike<number | string>;
  readonly fp: ArrayLike<number | string>;
  readonly fn?: ArrayLike<number | string>;
  readonly tn?: ArrayLike<number | string>;
  readonly score: (place: number) => Threshold;
  readonly shown: (place: number) => string;
  readonly unlabelled?: Unlabelled<ArrayLike<number | string>>;
}

export interface Scenario {
  readonly prior: number | null;
  readonly as_in_sample?: boolean;
  readonly written?: string | null;
  readonly costs: { readonly fp: number; readonly fn: number; readonly tp: number; readonly tn: number };
  readonly costs_given?: boolean;
  readonly earned?: boolean;
  readonly volume: number | null;
  readonly budget: number | null;
  readonly rule: string | null;
}

export interface Span {
  readonly low: number | null;
  readonly high: number | null;
  readonly level?: number;
  readonly method?: string;
  readonly side?: string;
}

export interface PointOut {
  readonly [name: string]: unknown;
  readonly intervals?: Readonly<Record<string, Span>>;
  /** The ends of its intervals alone, and whether they allow for choosing the threshold. */
  readonly ends?: Readonly<Record<string, readonly [number | null, number | null]>>;
  readonly corrected?: boolean;
}

/** How far the second model is from the first, and whether that could be chance. */
export interface Difference {
  readonly statistic: string;
  readonly models: readonly string[];
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly significant: boolean;
  readonly p_value: number;
  readonly p_adjusted?: number | null;
}

export interface Given {
  readonly rule: string | null;
  readonly at: {
    readonly prior: number | null;
    readonly costs: Scenario["costs"];
    readonly as_in_sample?: boolean;
    readonly costs_given?: boolean;
  };
  readonly volume?: number | null;
  readonly choose: readonly string[];
  readonly sentence: string;
  readonly points: Readonly<Record<string, PointOut>>;
  /** None at other base rates than that of the sample, where what flags nothing or everything is known exactly. */
  readonly baselines?: Readonly<Record<string, PointOut>>;
  readonly differences?: readonly Difference[];
  readonly lead_over_baseline?: Difference | null;
  readonly baseline_untested?: string | null;
  readonly untested?: string | null;
}

export interface Decision {
  readonly decision?: {
    readonly at: Record<string, unknown>;
    readonly models: readonly string[];
    readonly optimized?: string;
    readonly threshold: Threshold;
    readonly rivals?: Readonly<Record<string, { readonly threshold: Threshold }>>;
  };
  readonly [key: string]: unknown;
}

export interface Decided {
  readonly sentence: string;
  readonly lead: string;
}

export interface Report {
  readonly scenario: Scenario;
  readonly level: number;
  readonly points: readonly Points[];
  readonly answers: readonly Given[];
  /** The first question at other base rates, with intervals alone of its points. */
  readonly nearby: readonly Given[];
  readonly slices: null | {
    readonly by: readonly string[];
    readonly rows: readonly {
      by: string;
      slice: string;
      model: string;
      positives: number | string;
      negatives: number | string;
      points: readonly PointOut[];
      /** What it flags more at each corner of the model's hull; null where that would have no intervals. */
      corners: { readonly tp: string; readonly fp: string } | null;
    }[];
  };
  readonly decision: Decision | null;
  /** Where conditions are uncertain: what to do under all of them, and what stands before an answer in their middle. */
  readonly decided: Decided | null;
  readonly shows: readonly string[];
  readonly definitions: readonly { name: string; title: string; text: string; sources: string }[];
}

export interface Source {
  readonly path: string;
  readonly label?: string | null;
  readonly positive?: string | null;
  readonly weight?: string | null;
}

export interface Document {
  readonly version: string;
  readonly notes: readonly { code: string; text: string }[];
  readonly sources: readonly Source[];
  readonly models: readonly {
    name: string;
    counts: Record<string, unknown>;
    summaries: Record<string, Span & { value: number | null }>;
  }[];
  readonly report: Report;
}
