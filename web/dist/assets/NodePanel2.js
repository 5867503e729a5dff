export { t as default } from "./NodePanel.js";
