import { inThread } from "../runtime/threads/in-thread.ts";

/** How long a form with files may be read, in milliseconds. */
const readingTime = 30_000;
/** Characters of all names and texts of a form, and its fields. Files are beside them. */
const longestTexts = 64 * 1024;
const mostFields = 1_000;

/** The fields of a form of this content type. Throws if it is none. */
export function parsedForm(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  return new Response(bytes, { headers: { "Content-Type": type } }).formData();
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
