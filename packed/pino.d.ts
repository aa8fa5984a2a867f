export { type Logger, pino } from "pino";
