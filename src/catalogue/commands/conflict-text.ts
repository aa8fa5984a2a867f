import type { ListName } from "../../lists/index.ts";
import type { Conflict } from "../document/three-way.ts";
import { operatorValuesOf } from "../files/json.ts";
import { nameOf } from "../model/lists.ts";
import { toldApart } from "./unseen-characters.ts";

/** Says which entries the merge of a file, or a revert, left as other people changed them meanwhile. */
export function conflictTexts(conflicts: readonly Conflict[], of: "file" | "revert"): string[] {
  return conflicts.flatMap((conflict) => {
    const { subject, key, base, mine } = conflict;
    // The time and author of a supply fact change with the fact, and are not reported themselves.
    const members = conflict.members.filter((name) => !/_(since|by)$/.test(name));
    if (members.length < conflict.members.length && members.length === 0) return [];
    const name = subject === "prices" ? key : nameOf(subject, (mine ?? base)!);
    return `Not changed: ${subject} ${name} ${reasonOf({ ...conflict, members }, of === "file")}.`;
  });
}

function reasonOf({ subject, why, members, mine, theirs }: Conflict, isFile: boolean): string {
  if (why === "removed by theirs") return "was removed since";
  if (why === "parent is gone") return "what it belongs to is gone";
  if (why === "has children") return "others belong to it since";
  if (!isFile) return why === "added" ? "was added again since" : `was changed again since: ${members.join(", ")}`;
  if (why === "removed by mine") return `is not in the file, and was changed since: ${members.join(", ")}`;
  // A file holds no prices of accounts.
  const [file, now] = [mine!, theirs!].map((content) => operatorValuesOf(subject as ListName, content));
  const text = (value: string | number | undefined) => String(value ?? "not known");
  const values = members.map((member) => {
    const [theFile, theirs] = toldApart(text(file![member]), text(now![member]));
    return `${member} is ${theFile} in the file and ${theirs} now`;
  });
  return `was ${why} on both sides: ${values.join(", ")}`;
}
