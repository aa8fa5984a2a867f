import { accessOperations, callerOperations } from "../access/operations/index.ts";
import { catalogueOperations } from "../catalogue/operations/index.ts";
import { eventOperations } from "../events/operations/index.ts";
import { identityOperations } from "../identity/operations/index.ts";
import type { Operation } from "../operation/operation.ts";
import { requestOperations } from "../requests/operations/index.ts";

/** The product: every operation of every room. */
export const everyOperation: readonly Operation<never>[] = [
  ...catalogueOperations,
  ...identityOperations,
  ...eventOperations,
  ...accessOperations,
  ...callerOperations,
  ...requestOperations,
];
