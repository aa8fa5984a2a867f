import { type RunningStandIn, type StandInOptions, startIdentityStandIn } from "../../../stand-ins/identity-server.ts";
import { checks } from "../../checks/index.ts";
import type { CheckKind } from "../../declare/check-kind.ts";
import { lazyValidator } from "../../declare/schema/lazy-validator.ts";
import { standInHeader } from "../ports/stand-in.ts";
import type { Vendor } from "../ports/vendor.ts";

/** Starts the stand-in of an identity vendor with the sandbox's people and things. */
export function startStandIn(
  { name, testInput }: Pick<Vendor, "name" | "testInput">,
  options: Omit<StandInOptions, "header" | "isNumber" | "record" | "testNumber">,
): Promise<RunningStandIn> {
  return startIdentityStandIn(name, {
    ...options,
    header: standInHeader,
    isNumber: (kind, text) => lazyValidator(checks[kind as CheckKind].request[kind]!.schema)().Check(text),
    record: (kind, number, claims) => checks[kind as CheckKind].sandbox({ kind: kind as CheckKind, number, claims }),
    testNumber: testInput,
  });
}
