import { Compile } from "typebox/schema";
import { type RunningStandIn, type StandInOptions, startIdentityStandIn } from "../../../stand-ins/identity-server.ts";
import type { StandIn } from "../../../stand-ins/stand-in.ts";
import { standIns } from "../../../stand-ins/stand-ins.ts";
import { checks } from "../../checks/index.ts";
import type { CheckKind } from "../../declare/check-kind.ts";
import { fileOf } from "../files/file-vendor.ts";
import { standInHeader } from "../ports/stand-in.ts";
import type { Vendor } from "../ports/vendor.ts";
import { vendorFiles } from "../registry.ts";
import { standInOf } from "./file-stand-in.ts";

/**
 * Returns the stand-in of a vendor, or undefined if it has none. For an operator's vendor file, it answers with the
 * file's samples.
 */
export function standInFor(vendor: Pick<Vendor, "name">): StandIn<object> | undefined {
  const { [vendor.name]: written } = standIns;
  const file = fileOf(vendor);
  return file && (!written || vendorFiles.names.includes(vendor.name)) ? standInOf(file) : written;
}

/** Starts a vendor's stand-in with the sandbox's people. */
export async function startStandIn(
  vendor: Pick<Vendor, "name" | "testInput">,
  options: Omit<StandInOptions, "header" | "isNumber" | "record" | "testNumber">,
): Promise<RunningStandIn> {
  const { name, testInput } = vendor;
  return startIdentityStandIn(
    { name, standIn: standInFor(vendor)! },
    {
      ...options,
      header: standInHeader,
      isNumber: (kind, text) => Compile(checks[kind as CheckKind].request[kind]!.schema).Check(text),
      record: (kind, number, claims) => checks[kind as CheckKind].sandbox({ kind: kind as CheckKind, number, claims }),
      testNumber: await testInput?.(),
    },
  );
}
