import { readFileSync } from "node:fs";
import type { Operation } from "../contract/operation.ts";
import type { ReadyAnswer, ReadyForm } from "../contract/ready.ts";
import type { Catalogue } from "./catalogue.ts";
import { type Snapshot, snapshotOf } from "./snapshot.ts";
import { readStarter } from "./starter.ts";

/** What the catalogue's tests share. */

/** The starter catalogue as revision 1 of 31 January 2026. */
export async function starterSnapshot(): Promise<Snapshot> {
  return snapshotOf(await readStarter(), { revision: 1, publishedAt: Date.UTC(2026, 0, 31), changes: 1 });
}

/** Rows of a shipped starter file, members as they stand there. */
export function starterRows(file: string): Record<string, string | number>[] {
  return JSON.parse(readFileSync(new URL(`../../data/starter/${file}`, import.meta.url), "utf8"));
}

/** What an operation picks for an anonymous caller. */
export function pickFrom(
  catalogue: Catalogue,
  operation: Operation<Catalogue>,
  input: Record<string, string> = {},
): ReadyAnswer {
  if (!operation.pick) throw new Error(`${operation.id} picks nothing`);
  return operation.pick({ input, headers: {}, caller: null, requestId: "test", address: "127.0.0.1" }, catalogue);
}

/** The form that is not compressed: it is always there at once. */
export function plainForm(answer: ReadyAnswer, shared = false): ReadyForm {
  const form = answer.form("identity", shared);
  if (form instanceof Promise) throw new Error("the identity form has to be waited for");
  return form;
}

/** The answer's JSON text. */
export function textOf(answer: ReadyAnswer): string {
  return plainForm(answer).body.toString();
}

export function headerOf(form: ReadyForm, name: string): string | undefined {
  const place = form.headers.findIndex((header, index) => index % 2 === 0 && header === name);
  return place === -1 ? undefined : form.headers[place + 1];
}
