import type { Operation } from "../../declare/operation.ts";
import type { AccessRoom } from "../access.ts";
import { authorizeMerchant } from "./authorizeMerchant.ts";
import { type CallerRoom, whoAmI } from "./whoAmI.ts";

export const accessOperations: Operation<AccessRoom>[] = [authorizeMerchant];

/** Operations about the caller, which need facts from other parts of the service. */
export const callerOperations: Operation<CallerRoom>[] = [whoAmI];
