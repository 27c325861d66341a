import '@picocss/pico/css/pico.min.css';
import './console.css';
import { render } from 'preact';
import { Console } from './frame/console.js';

const place = document.getElementById('console');
if (place) render(<Console />, place);
