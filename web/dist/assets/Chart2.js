export { t as default } from "./Chart.js";
