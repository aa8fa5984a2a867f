import { accessOperations, callerOperations } from "../access/operations/index.ts";
import { catalogueOperations } from "../catalogue/operations/index.ts";
import type { Operation } from "../declare/operation.ts";
import { features } from "../features.ts";
import { identityOperations } from "../verification/operations/index.ts";

/** The product: every operation of the core and of its features. */
export const everyOperation: readonly Operation<never>[] = [
  ...catalogueOperations,
  ...identityOperations,
  ...accessOperations,
  ...callerOperations,
  ...(await Promise.all(features.map(({ operations }) => operations?.() ?? []))).flat(),
];
