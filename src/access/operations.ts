import type { Operation } from "../contract/operation.ts";
import type { AccessRoom } from "./access.ts";
import { authorizeMerchant } from "./authorize.ts";

export const accessOperations: Operation<AccessRoom>[] = [authorizeMerchant];
