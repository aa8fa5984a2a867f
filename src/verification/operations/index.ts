import type { Operation } from "../../declare/operation.ts";
import type { Identity } from "../identity.ts";
import { fetchWalletBalance } from "./fetchWalletBalance.ts";
import { findKnownPerson } from "./findKnownPerson.ts";
import { findVerification } from "./findVerification.ts";
import { getVerification } from "./getVerification.ts";
import { lookupWaecAmount } from "./lookupWaecAmount.ts";
import { verifyBvn } from "./verifyBvn.ts";
import { verifyNin } from "./verifyNin.ts";

/** The operations that use an `Identity`. */
export const identityOperations: Operation<Identity>[] = [
  verifyBvn,
  verifyNin,
  lookupWaecAmount,
  getVerification,
  findVerification,
  findKnownPerson,
  fetchWalletBalance,
];
