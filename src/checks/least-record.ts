import { numberMember, type PersonKind } from "../declare/check-kind.ts";
import Type from "../declare/schema/type.ts";

/** A text, or a number in its place. A number that lost its leading zero counts as another person's number. */
const needed = Type.Union([Type.String(), Type.Number()]);
const name = Type.String({ pattern: "\\S" });
const aName = Type.Union([
  Type.Object({ first_name: name }),
  Type.Object({ last_name: name }),
  Type.Object({ full_name: name }),
]);

/**
 * The schema of a vendor's record whose members have the names of Duba's API. The record must contain the number, a
 * status and a name. Any other member may be missing or unreadable, because we do not discard a paid response for that.
 */
export function leastRecord(kind: PersonKind) {
  return Type.Object({
    [numberMember(kind)]: needed,
    verification_status: needed,
    personal_info: aName,
  });
}
