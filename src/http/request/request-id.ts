import { randomBytes } from "node:crypto";
import { checks } from "../../checks/index.ts";
import { isPlainId } from "../../declare/fields.ts";

/** Letters only: digits in a row would make an id that is not plain. */
const prefix = randomBytes(6)
  .toString("hex")
  .replaceAll(/\d/g, (digit) => "ghijklmnop"[Number(digit)]!);
let count = 0;

/** A new request id, unique across requests and processes. */
export function newRequestId(): string {
  count += 1;
  return `${prefix}-${count.toString(36)}`;
}

/** Forms of check numbers that an id may contain and still be plain: numbers with few digits in a row. */
const shortNumbers = Object.values(checks)
  .filter(({ kind, example }) => isPlainId(example[kind]!))
  .map(({ kind, request }) => new RegExp((request[kind]!.schema as { pattern?: string }).pattern!));

/** The caller's request id if it is well formed and cannot contain the number of a check, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  if (typeof header !== "string" || !isPlainId(header)) return newRequestId();
  const holdsNumber = shortNumbers.some((form) => header.split(/[._:-]/).some((part) => form.test(part)));
  return holdsNumber ? newRequestId() : header;
}
