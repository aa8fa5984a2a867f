import type { CheckKind } from "../../operation/check-kind.ts";
import { bvn } from "./bvn/index.ts";
import type { Check } from "./check.ts";
import { nin } from "./nin/index.ts";

export const checks: Readonly<Record<CheckKind, Check>> = { bvn, nin };
