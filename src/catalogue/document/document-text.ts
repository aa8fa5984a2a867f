import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { type Pause, pacer } from "../../runtime/pace.ts";
import { entryKeyOf, type Subject } from "../model/lists.ts";
import { type PriceRule, ruleKeyOf } from "../model/price-lists.ts";
import { type Document, type Group, groupIn, type Item, type Stamp } from "../model/snapshot.ts";
import { differingGroups } from "./difference.ts";

/** A group of a document. In a published document it has the stamp of its last change. */
export interface DocumentPart {
  readonly subject: Subject;
  readonly name: string;
  readonly group: Group;
  readonly stamp?: Stamp | undefined;
}

const LINE_END = Buffer.from("\n");
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** Several times as fast as Brotli at level 5, and an eighth larger. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 };

/**
 * Writes documents as text, compressed off the main thread, in base64. Each part is a line of JSON with subject, name
 * and stamp, followed by one line per entry. An empty line separates documents.
 */
export async function packed(...documents: readonly Iterable<DocumentPart>[]): Promise<string> {
  const pause = pacer();
  const texts: Buffer[] = [];
  for (const [at, parts] of documents.entries()) {
    if (at > 0) texts.push(LINE_END, LINE_END);
    let isFirst = true;
    for (const { subject, name, group, stamp } of parts) {
      if (!isFirst) texts.push(LINE_END);
      isFirst = false;
      texts.push(
        Buffer.from(JSON.stringify(stamp ? [subject, name, stamp.revision, stamp.publishedAt] : [subject, name])),
      );
      if (group.length > 0) texts.push(LINE_END, await linesOf(group, pause));
    }
  }
  return (await compress(Buffer.concat(texts), { params })).toString("base64");
}

/** The groups that a draft changes, as two documents: before and after. */
export async function packedDifference(before: Document, after: Document): Promise<string> {
  const parts = [...differingGroups(before, after)];
  const partsOf = (document: Document) =>
    parts.map(({ subject, name }) => ({ subject, name, group: groupIn(document, subject, name) }));
  return packed(partsOf(before), partsOf(after));
}

/** The parts of each document. */
export async function unpacked(content: string): Promise<DocumentPart[][]> {
  const pause = pacer();
  const text = (await decompress(Buffer.from(content, "base64"))).toString();
  const documents: DocumentPart[][] = [];
  for (const document of text.split("\n\n")) {
    const parts: DocumentPart[] = [];
    // No line of an entry starts with a bracket.
    for (const part of `\n${document}`.split("\n[").slice(1)) {
      const end = part.includes("\n") ? part.indexOf("\n") : part.length;
      const [subject, name, revision, publishedAt] = JSON.parse(`[${part.slice(0, end)}`);
      const stamp = revision === undefined ? undefined : { revision, publishedAt };
      parts.push({ subject, name, stamp, group: await readLines(subject, part.slice(end + 1), pause) });
    }
    documents.push(parts);
  }
  return documents;
}

/**
 * Caches the lines of a group, because a revision writes them several times: in its own draft, in the full document,
 * and in the next draft.
 */
const written = new WeakMap<Group, Buffer>();

/** The entries of a group as JSON, one per line. */
export async function linesOf(group: Group, pause: Pause): Promise<Buffer> {
  const known = written.get(group);
  if (known !== undefined) return known;
  const lines: string[] = [];
  for (const { content } of group) {
    lines.push(JSON.stringify(content));
    await pause();
  }
  const text = Buffer.from(lines.join("\n"));
  written.set(group, text);
  return text;
}

/** Parses these lines into a group. */
export async function readLines(subject: Subject, lines: string, pause: Pause): Promise<Group> {
  const group: Item[] = [];
  for (const line of lines === "" ? [] : lines.split("\n")) {
    const content = JSON.parse(line);
    const key = subject === "prices" ? ruleKeyOf(content as PriceRule) : entryKeyOf(subject, content);
    group.push({ key, content });
    await pause();
  }
  return group;
}
