import type { Conflict } from "../document/three-way.ts";
import { wireValuesOf } from "../files/json.ts";
import { type ListName, nameOf } from "../model/lists.ts";

/** What a merge of a file, or a revert, leaves as others made it, in sentences. */
export function conflictTexts(conflicts: readonly Conflict[], of: "file" | "revert"): string[] {
  return conflicts.map((conflict) => {
    const { subject, key, base, mine } = conflict;
    const name = subject === "prices" ? key : nameOf(subject, (mine ?? base)!);
    return `Not changed: ${subject} ${name} ${reasonOf(conflict, of === "file")}.`;
  });
}

function reasonOf({ subject, why, members, mine, theirs }: Conflict, isFile: boolean): string {
  if (why === "removed by theirs") return "was removed since";
  if (why === "parent is gone") return "what it belongs to is gone";
  if (why === "has children") return "others belong to it since";
  if (!isFile) return why === "added" ? "was added again since" : `was changed again since: ${members.join(", ")}`;
  if (why === "removed by mine") return `is not in the file, and was changed since: ${members.join(", ")}`;
  // A file has no prices of accounts.
  const [file, now] = [mine!, theirs!].map((content) => wireValuesOf(subject as ListName, content));
  const values = members.map((member) => `${member} is ${file![member]} in the file and ${now![member]} now`);
  return `was ${why} on both sides: ${values.join(", ")}`;
}
