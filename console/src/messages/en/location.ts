export const location = {
  showMap: 'Set it on a map',
  hideMap: 'Close the map',
  here: 'Use my location',
  finding: 'Finding out where you are…',
  denied: 'This browser may not tell where you are. Allow it in the browser’s settings for this page, or type it.',
  unknown: 'Where you are cannot be found out just now.',
  mapOf: 'Map: {name}',
  keys: 'Arrow keys move the map, plus and minus zoom.',
  keysToSet:
    'A click or the arrow keys set the point, with Shift by a pixel; plus and minus zoom, dragging moves the map.',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  noOutlines: 'The outlines of the map cannot be loaded just now.',
};
