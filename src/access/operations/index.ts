import type { Operation } from "../../declare/operation.ts";
import type { AccessRoom } from "../access.ts";
import { authorizeMerchant } from "./authorizeMerchant.ts";
import { type CallerRoom, whoAmI } from "./whoAmI.ts";

export const accessOperations: Operation<AccessRoom>[] = [authorizeMerchant];

/** The operation about the caller, which needs what other rooms know. */
export const callerOperations: Operation<CallerRoom>[] = [whoAmI];
