//! From the kernel's results to readbacks.

use livetime_kernels::statistics::{Basic, Centroid, Histogram, Scratch};

use super::params::StatisticsParams;

impl StatisticsParams {
    /// Zeroes the same values as areaDetector's `Reset`.
    pub(super) fn reset(&mut self) {
        self.reset = false;
        self.publish_basic(&Basic::default());
        self.publish_centroid(&Centroid::default());
    }

    pub(super) fn publish_basic(&mut self, found: &Basic) {
        (self.min_value, self.min_x, self.min_y) = (found.min, found.min_x as f64, found.min_y as f64);
        (self.max_value, self.max_x, self.max_y) = (found.max, found.max_x as f64, found.max_y as f64);
        (self.mean_value, self.sigma) = (found.mean, found.sigma);
        (self.total, self.net) = (found.total, found.net);
    }

    pub(super) fn publish_centroid(&mut self, found: &Centroid) {
        (self.centroid_total, self.centroid_x, self.centroid_y) = (found.total, found.x, found.y);
        (self.sigma_x, self.sigma_y, self.sigma_xy) = (found.sigma_x, found.sigma_y, found.sigma_xy);
        (self.skew_x, self.skew_y) = (found.skew_x, found.skew_y);
        (self.kurtosis_x, self.kurtosis_y) = (found.kurtosis_x, found.kurtosis_y);
        (self.eccentricity, self.orientation) = (found.eccentricity, found.orientation);
    }

    pub(super) fn publish_profiles(&mut self, cursor_value: f64, scratch: &Scratch) {
        let found = scratch.profiles();
        let copy = |to: &mut Vec<f64>, from: &[f64]| {
            to.clear();
            to.extend_from_slice(from);
        };
        copy(&mut self.profile_average_x, found.average_x);
        copy(&mut self.profile_average_y, found.average_y);
        copy(&mut self.profile_threshold_x, found.threshold_x);
        copy(&mut self.profile_threshold_y, found.threshold_y);
        copy(&mut self.profile_centroid_x, found.centroid_x);
        copy(&mut self.profile_centroid_y, found.centroid_y);
        copy(&mut self.profile_cursor_x, found.cursor_x);
        copy(&mut self.profile_cursor_y, found.cursor_y);
        (self.profile_size_x, self.profile_size_y) = (found.average_x.len(), found.average_y.len());
        self.cursor_val = cursor_value;
    }

    /// Publishes the histogram of one plane; the histogram of the first plane of an array replaces the old one.
    pub(super) fn publish_histogram(&mut self, found: &Histogram, scratch: &Scratch, is_first: bool) {
        if is_first {
            self.histogram.clear();
            self.histogram.extend(scratch.counts().iter().map(|c| *c as f64));
            self.histogram_x.clear();
            self.histogram_x.extend_from_slice(scratch.axis());
            (self.hist_below, self.hist_above, self.hist_nan) = (found.below, found.above, found.nan);
            self.hist_entropy = found.entropy;
        } else {
            self.histogram.iter_mut().zip(scratch.counts()).for_each(|(sum, c)| *sum += *c as f64);
            self.hist_below += found.below;
            self.hist_above += found.above;
            self.hist_nan += found.nan;
        }
    }

    /// Publishes the entropy of the sum over several planes.
    pub(super) fn publish_entropy(&mut self, elements: usize) {
        let terms = self.histogram.iter().filter(|c| **c > 0.0).map(|c| c * c.ln());
        self.hist_entropy = if elements == 0 { 0.0 } else { -terms.sum::<f64>() / elements as f64 };
    }
}
