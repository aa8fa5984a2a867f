export { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
