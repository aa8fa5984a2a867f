import { pipeline } from "node:stream/promises";
import { Busboy } from "@fastify/busboy";

/** Most characters of all names and texts in a form, and most fields. Files do not count. */
const longestTexts = 64 * 1024;
const mostFields = 1_000;
const limits = {
  fields: mostFields,
  fieldSize: longestTexts,
  files: mostFields,
  headerPairs: 20,
  headerSize: 8 * 1024,
};

/**
 * Reads a form with its files while the bytes arrive. Rejects if the bytes are not a form, or exceed the limits for
 * fields, files and text.
 */
export async function readForm(bytes: AsyncIterable<Uint8Array>, type: string): Promise<FormData> {
  const form = new FormData();
  const reader = new Busboy({ headers: { "content-type": type }, limits });
  const refuse = () => reader.destroy(new Error("The form has more fields than any of ours."));
  let characters = 0;
  reader.on("fieldsLimit", refuse);
  reader.on("filesLimit", refuse);
  reader.on("field", (name, text, isNameCut, isTextCut) => {
    characters += name.length + text.length;
    if (isNameCut || isTextCut || characters > longestTexts) refuse();
    else form.append(name, text);
  });
  reader.on("file", (name, file, fileName, _, type) => {
    const pieces: Buffer<ArrayBuffer>[] = [];
    file.on("data", (piece) => pieces.push(piece));
    file.on("error", refuse);
    file.on("end", () => form.append(name, new File(pieces, fileName ?? "", { type })));
  });
  await pipeline(bytes, reader);
  return form;
}
