import type { Operation } from "../../operation/operation.ts";
import type { AccessRoom } from "../access.ts";
import { authorizeMerchant } from "./authorizeMerchant.ts";

export const accessOperations: Operation<AccessRoom>[] = [authorizeMerchant];
