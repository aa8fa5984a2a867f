import type { CheckKind } from "../operation/check-kind.ts";
import type { PersonRecord } from "../operation/identity-record.ts";
import { bvn } from "./bvn.ts";
import type { Check } from "./check.ts";
import { nin } from "./nin.ts";

/** Every kind of check. */
export const checks: Readonly<Record<CheckKind, Check<PersonRecord>>> = { bvn, nin };
