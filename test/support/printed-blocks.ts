import assert from "node:assert/strict";

/** A shell block of a document, with the expected output. */
export interface Block {
  line: number;
  /** The shell script. */
  script: string;
  /** The block that follows directly: the expected output. Undefined if the document states none. */
  printed?: { language: string; text: string };
}

/** The shell blocks of a document, in their order. */
export function blocksOf(text: string): Block[] {
  const fences = [...text.matchAll(/^```(\w+)\n([\s\S]*?)\n```$/gm)].map((match) => ({
    language: match[1]!,
    text: match[2]!,
    begin: match.index,
    end: match.index + match[0].length,
  }));
  return fences.flatMap((fence, index) => {
    if (fence.language !== "sh") return [];
    const next = fences[index + 1];
    const follows = next && next.language !== "sh" && text.slice(fence.end, next.begin).trim() === "";
    const line = text.slice(0, fence.begin).split("\n").length;
    return [{ line, script: fence.text, ...(follows ? { printed: next } : {}) }];
  });
}

/** Asserts that a block printed what the document says. */
export function assertPrinted(given: string, { language, text }: NonNullable<Block["printed"]>): void {
  if (language === "json") sameJson(given, text);
  else assert.equal(plain(given), plain(text));
}

/** Compares members, their order, and all values but those that differ each time. */
function sameJson(given: string, wanted: string): void {
  const expected = JSON.parse(plain(wanted));
  assert.equal(
    JSON.stringify(shortened(JSON.parse(plain(given)), expected), null, 2),
    JSON.stringify(expected, null, 2),
  );
}

/** `"…"` at the end of a list stands for any further items. */
function shortened(given: unknown, expected: unknown): unknown {
  if (Array.isArray(given) && Array.isArray(expected)) {
    const cut = expected.at(-1) === "…" ? expected.length - 1 : given.length;
    const kept = given.slice(0, cut).map((item, index) => shortened(item, expected[index]));
    return given.length > cut ? [...kept, "…"] : kept;
  }
  if (typeof given !== "object" || given === null || typeof expected !== "object" || expected === null) return given;
  const beside = expected as Record<string, unknown>;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, shortened(value, beside[name])]));
}

/** Replaces values that differ each time, such as keys, with placeholders. */
export function plain(text: string): string {
  return text
    .replace(/duba_(test|live)_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}/g, "duba_$1_…")
    .replace(/duba_at_[0-9A-Za-z]{43}/g, "duba_at_…")
    .replace(/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g, "<time>")
    .replace(/\b\d{4}-\d{2}-\d{2} \d{2}:\d{2}(:\d{2}|Z)/g, "<time>")
    .replace(/\bacc_[0-9A-Za-z]{12}\b/g, "<account>")
    .replace(/"time":\d{13}/g, '"time":0')
    .replace(/"keyring":"[^"]+\.keyring"/g, '"keyring":"<path>"')
    .replace(/"request_id": ?"[0-9a-p]{12}-[0-9a-z]+"/g, '"request_id":"<request>"')
    .replace(/"request_reference": ?"[0-9A-Za-z]{5}[A-Za-z]\d{9}"/g, '"request_reference":"<reference>"')
    .replace(/\r/g, "")
    .trim();
}
