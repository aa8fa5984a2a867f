import type { Operation } from "../contract/operation.ts";
import { findVerification, getVerification } from "./find-verification.ts";
import type { Identity } from "./identity.ts";
import { verifyBvn } from "./verify-bvn.ts";
import { lookupWaecAmount } from "./waec-lookup.ts";

/** The operations of the identity room. */
export const identityOperations: Operation<Identity>[] = [
  verifyBvn,
  lookupWaecAmount,
  getVerification,
  findVerification,
];
