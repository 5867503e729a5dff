//! Averages and cuts along rows and columns.

use super::projections::Projections;
use super::results::{Centroid, Profiles};
use super::wanted::Cursor;
use crate::{Pixel, Plane};

/// The profiles of the latest call; see [`Profiles`].
#[derive(Debug, Default)]
pub(super) struct ProfileBuffers {
    average_x: Vec<f64>,
    average_y: Vec<f64>,
    threshold_x: Vec<f64>,
    threshold_y: Vec<f64>,
    centroid_x: Vec<f64>,
    centroid_y: Vec<f64>,
    cursor_x: Vec<f64>,
    cursor_y: Vec<f64>,
}

impl ProfileBuffers {
    pub(super) fn view(&self) -> Profiles<'_> {
        Profiles {
            average_x: &self.average_x,
            average_y: &self.average_y,
            threshold_x: &self.threshold_x,
            threshold_y: &self.threshold_y,
            centroid_x: &self.centroid_x,
            centroid_y: &self.centroid_y,
            cursor_x: &self.cursor_x,
            cursor_y: &self.cursor_y,
        }
    }

    /// Makes all profiles when a cursor is given, and gives the pixel there.
    pub(super) fn fill<T: Pixel>(
        &mut self,
        image: Plane<T>,
        cursor: Option<Cursor>,
        sums: &Projections,
        centroid: Option<Centroid>,
    ) -> Option<f64> {
        let (Some(cursor), Some(centroid)) = (cursor, centroid) else {
            self.clear();
            return None;
        };
        let (width, height) = (image.width(), image.height());
        divide(&mut self.average_x, &sums.all_columns, height);
        divide(&mut self.average_y, &sums.all_rows, width);
        divide(&mut self.threshold_x, &sums.columns, height);
        divide(&mut self.threshold_y, &sums.rows, width);
        let (x, y) = (nearest(centroid.x, width), nearest(centroid.y, height));
        row(&mut self.centroid_x, image, y);
        column(&mut self.centroid_y, image, x);
        // A cursor outside is at the nearest border, as in areaDetector.
        let cursor = (cursor.x.min(width.saturating_sub(1)), cursor.y.min(height.saturating_sub(1)));
        row(&mut self.cursor_x, image, cursor.1);
        column(&mut self.cursor_y, image, cursor.0);
        Some(self.cursor_x.get(cursor.0).copied().unwrap_or(0.0))
    }

    fn clear(&mut self) {
        let average = [&mut self.average_x, &mut self.average_y];
        let threshold = [&mut self.threshold_x, &mut self.threshold_y];
        let centroid = [&mut self.centroid_x, &mut self.centroid_y];
        let cursor = [&mut self.cursor_x, &mut self.cursor_y];
        [average, threshold, centroid, cursor].into_iter().flatten().for_each(Vec::clear);
    }
}

fn divide(to: &mut Vec<f64>, sums: &[f64], count: usize) {
    to.clear();
    to.extend(sums.iter().map(|sum| sum / count as f64));
}

/// The index nearest to `centre`, inside the image.
fn nearest(centre: f64, len: usize) -> usize {
    // A negative centre and NaN become 0.
    ((centre + 0.5) as usize).min(len.saturating_sub(1))
}

fn row<T: Pixel>(to: &mut Vec<f64>, image: Plane<T>, y: usize) {
    to.clear();
    if y < image.height() {
        to.extend(image.row(y).iter().map(|v| v.to_f64()));
    } else {
        to.resize(image.width(), 0.0);
    }
}

fn column<T: Pixel>(to: &mut Vec<f64>, image: Plane<T>, x: usize) {
    to.clear();
    to.extend(image.rows().map(|row| row.get(x).map_or(0.0, |v| v.to_f64())));
}
