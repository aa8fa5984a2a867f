import { randomUUID } from "node:crypto";
import { inThread } from "../../runtime/threads/in-thread.ts";

/** How long a form with files may be read, in milliseconds. */
const readingTime = 30_000;
/** Characters of all names and texts of a form, and its fields. Files are beside them. */
const longestTexts = 64 * 1024;
const mostFields = 1_000;
/** Characters. */
const shortestBoundary = 27;

/** The fields of a form of this content type. Throws if it is none. */
export function parsedForm(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? [];
  const short = quoted ?? plain ?? "";
  // RFC 2046 allows one character, and Node wants 27.
  if (short === "" || short.length >= shortestBoundary)
    return new Response(bytes, { headers: { "Content-Type": type } }).formData();
  const long = short.padEnd(shortestBoundary, randomUUID());
  const headers = { "Content-Type": `multipart/form-data; boundary=${long}` };
  return new Response(withBoundary(Buffer.from(bytes.buffer), short, long), { headers }).formData();
}

/** The same form, with this boundary in place of a short one. */
function withBoundary(bytes: Buffer, short: string, long: string): Uint8Array<ArrayBuffer> {
  const [line, longLine] = [Buffer.from(`\r\n--${short}`), Buffer.from(`\r\n--${long}`)];
  // The first boundary may stand without a line before it.
  const parts: Buffer[] = [];
  let from = bytes.indexOf(line.subarray(2)) === 0 ? line.length - 2 : 0;
  if (from > 0) parts.push(longLine.subarray(2));
  for (let at = bytes.indexOf(line, from); at >= 0; at = bytes.indexOf(line, from)) {
    parts.push(bytes.subarray(from, at), longLine);
    from = at + line.length;
  }
  return new Uint8Array(Buffer.concat([...parts, bytes.subarray(from)]));
}

/** The same, in a thread: a large form takes long. Throws also if it has too many fields. */
export async function parsedLargeForm(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  const form = new FormData();
  const limits = { milliseconds: readingTime, transfer: [bytes.buffer] };
  for await (const [name, value] of inThread(import.meta.url, fieldsIn, [bytes, type], limits))
    form.append(name, value as string);
  return form;
}

/** For the thread. */
export async function* fieldsIn(
  bytes: Uint8Array<ArrayBuffer>,
  type: string,
): AsyncGenerator<[name: string, value: string | File], void> {
  const fields = [...(await parsedForm(bytes, type))];
  const texts = fields.flatMap(([name, value]) => [name, value instanceof File ? value.name : value]);
  if (fields.length > mostFields || texts.reduce((sum, { length }) => sum + length, 0) > longestTexts)
    throw new Error("The form has more fields than any of ours.");
  yield* fields;
}
