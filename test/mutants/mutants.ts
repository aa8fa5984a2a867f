import { columnMutants } from "./column-mutants.ts";
import { eventMutants } from "./event-mutants.ts";
import { ledgerMutants } from "./ledger-mutants.ts";
import { moneyMutants } from "./money-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { reachMutants } from "./reach-mutants.ts";
import { sourceMutants } from "./source-mutants.ts";
import { storeMutants } from "./store-mutants.ts";
import { vendorMutants } from "./vendor-mutants.ts";

export const mutants: readonly Mutant[] = [
  ...ledgerMutants,
  ...vendorMutants,
  ...storeMutants,
  ...sourceMutants,
  ...eventMutants,
  ...moneyMutants,
  ...columnMutants,
  ...reachMutants,
];
