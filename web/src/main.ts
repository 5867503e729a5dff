import { mount } from 'svelte';
import App from './App.svelte';
import { enter } from './model/session';
import { run } from './model/run.svelte';
import './style/tokens.css';
import './style/theme';

await enter();
run.start();
mount(App, { target: document.getElementById('page') as HTMLElement });
