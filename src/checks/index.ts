import type { CheckKind } from "../declare/check-kind.ts";
import { bvn } from "./bvn.ts";
import type { Check, CheckInput, CheckSubject } from "./check.ts";
import { nin } from "./nin.ts";

const byKind = { bvn, nin } satisfies Record<CheckKind, Check>;

type RecordOf<Each> = Each extends Check<infer CheckRecord> ? CheckRecord : never;

/** A record of any kind. */
export type CheckRecord = RecordOf<(typeof byKind)[CheckKind]>;

/** A record with Duba's own reference, as the API client gets it. */
export type AnsweredRecord = CheckRecord & { request_reference: string };

/** Every kind of check. */
export const checks: Readonly<Record<CheckKind, Check<CheckRecord>>> = byKind;

/**
 * The parts that identify a subject, whose keyed hash is on the ledger. A BVN and a NIN with equal digits are two
 * subjects.
 */
export function subjectParts({ kind, number, claims }: CheckSubject): string[] {
  const parts: string[] = [kind];
  for (const name of checks[kind].subject) parts.push(name === kind ? number : claims![name]!);
  return parts;
}

/** The input of a request that passed the schemas of the check's members. */
export function checkInputOf(
  { kind, request }: Pick<Check, "kind" | "request">,
  texts: Readonly<Record<string, string>>,
): CheckInput {
  const values: Record<string, string> = {};
  for (const [name, { valueIn }] of Object.entries(request)) values[name] = valueIn(texts[name]!);
  const { [kind]: number, ...claims } = values;
  return { kind, number: number!, claims };
}
