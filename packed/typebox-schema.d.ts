export { Compile, type Validator } from "typebox/schema";
