// VitePress's theme with the reader's system fonts.
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default theme;
