// Everything that is free of the page: what the tests against Python import.
export * from "./bounds.ts";
export * from "./catalogue.ts";
export * from "./choosing.ts";
export * from "./conditions.ts";
export * from "./formats.ts";
export * from "./fractions.ts";
export * from "./measures.ts";
export * from "./notations.ts";
export * from "./points.ts";
export * from "./rules.ts";
export * from "./sentences.ts";
